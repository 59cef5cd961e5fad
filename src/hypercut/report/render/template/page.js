// Click a column's heading to sort by it, again to reverse the order. Numbers sort by their full value.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      const key = (row) => {
        const cell = row.cells[column];
        return cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort);
      };
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        const numbers = [typeof x === "number" && !Number.isNaN(x), typeof y === "number" && !Number.isNaN(y)];
        if (numbers[0] !== numbers[1]) return numbers[0] ? -1 : 1; // empty cells last in both orders
        const order = numbers[0] ? x - y : String(x).localeCompare(String(y));
        return down ? -order : order;
      };
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort(compare));
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
  });
}
