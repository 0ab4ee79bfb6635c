"use strict";
(() => {
  const table = document.querySelector(".models");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const text = document.querySelector("#filter-text");
  const verdict = document.querySelector("#filter-verdict");
  const loss = document.querySelector("#filter-loss");
  const count = document.querySelector("#shown");

  const filter = () => {
    const wanted = text.value.trim().toLowerCase();
    let shown = 0;
    let lines = 0;
    for (const row of rows) {
      const kind = verdict.value;
      const fits =
        (kind === "" || row.dataset.verdict === kind || (kind === "eligible" && row.dataset.verdict.startsWith("retire"))) &&
        (loss.value === "" || row.dataset.lost.split(" ").includes(loss.value)) &&
        (wanted === "" || row.textContent.toLowerCase().includes(wanted));
      row.hidden = !fits;
      if (fits) {
        shown += 1;
        lines += Number(row.dataset.lines);
      }
    }
    count.textContent = `${shown} of ${rows.length} models, ${lines.toLocaleString("en")} lines`;
  };
  for (const control of [text, verdict, loss]) control.addEventListener("input", filter);

  const heads = [...table.tHead.rows[0].cells];
  const choice = document.querySelector("#sort");
  choice.addEventListener("input", () => sort(heads.find((head) => head.dataset.key === choice.value)));
  const sort = (head) => {
    const numeric = head.dataset.numeric !== undefined;
    const before = head.getAttribute("aria-sort");
    const down = before ? before === "ascending" : numeric && head.dataset.key !== "rank";
    const key = (row) => row.dataset[head.dataset.key] ?? "";
    const sign = down ? -1 : 1;
    rows.sort((a, b) => sign * (numeric ? Number(key(a)) - Number(key(b)) : key(a).localeCompare(key(b))));
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...rows);
    choice.value = head.dataset.key;
  };
  for (const head of heads) head.querySelector("button")?.addEventListener("click", () => sort(head));

  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    const details = target?.querySelector("details");
    if (!details) return;
    if (target.hidden) {
      for (const control of [text, verdict, loss]) control.value = "";
      filter();
    }
    details.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();

  for (const node of document.querySelectorAll(".graph g[data-node]")) {
    const mark = (on) => {
      node.classList.toggle("near", on);
      for (const edge of document.querySelectorAll(".graph path")) {
        if (edge.dataset.first !== node.dataset.node && edge.dataset.second !== node.dataset.node) continue;
        edge.classList.toggle("near", on);
        const far = edge.dataset.first === node.dataset.node ? edge.dataset.second : edge.dataset.first;
        document.querySelector(`.graph g[data-node="${far}"]`).classList.toggle("near", on);
      }
    };
    for (const name of ["mouseenter", "focus"]) node.addEventListener(name, () => mark(true));
    for (const name of ["mouseleave", "blur"]) node.addEventListener(name, () => mark(false));
  }
  filter();
})();
