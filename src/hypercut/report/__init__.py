"""The report: which results of the paper reproduce, and by how much PKO+HSC really gains.

:mod:`~hypercut.report.build` writes it from the aggregated results. Each file of ``sections`` holds all of one section
of the page: text, data, table, figure. ``render`` knows how tables, figures and the page look. The other modules hold
what several sections share.
"""
