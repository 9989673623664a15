"use strict";
// Shows one picture at a time; all of them are in the element `content`, as JSON, deflated, in base64.
const canvas = document.getElementById("canvas");
const element = (id) => document.getElementById(id);
const MOST_FOUND = 200;
let content = {};
let side = "";
let scene = null;
let at = { x: 0, y: 0, scale: 1 };

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const sides = await new Response(stream).json();
  for (const scenes of Object.values(sides)) {
    for (const one of scenes) {
      one.boxes = one.boxes.map(([key, kind, title, text, opens]) => ({ key, kind, title, text, opens }));
    }
  }
  return sides;
}

const sceneOf = (key) => content[side].find((one) => one.key === key);

function place() {
  const svg = canvas.firstElementChild;
  svg.style.transform = `translate(${at.x}px, ${at.y}px) scale(${at.scale})`;
}

function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
  const scale = Math.min(8, Math.max(0.02, at.scale * factor));
  at.x = x - ((x - at.x) * scale) / at.scale;
  at.y = y - ((y - at.y) * scale) / at.scale;
  at.scale = scale;
  place();
}

function fit() {
  const svg = canvas.firstElementChild;
  const width = svg.width.baseVal.value;
  const height = svg.height.baseVal.value;
  at.scale = Math.min(1, canvas.clientWidth / width, canvas.clientHeight / height) || 1;
  at.x = (canvas.clientWidth - width * at.scale) / 2;
  at.y = 0;
  place();
}

function button(text, action) {
  const made = document.createElement("button");
  made.textContent = text;
  made.addEventListener("click", action);
  return made;
}

function select(key) {
  for (const old of canvas.querySelectorAll(".selected")) old.classList.remove("selected");
  const box = scene.boxes.find((one) => one.key === key);
  const group = [...canvas.querySelectorAll("g[data-key]")].find((g) => g.dataset.key === key);
  if (!box || !group) return;
  group.classList.add("selected");
  const about = element("about");
  about.textContent = box.text || box.title;
  for (const opened of box.opens) {
    about.append("\n", button(`open ${sceneOf(opened) ? sceneOf(opened).title : opened}`, () => show(opened)));
  }
  document.body.dataset.selected = key;
}

function center(key) {
  const group = [...canvas.querySelectorAll("g[data-key]")].find((g) => g.dataset.key === key);
  if (!group) return;
  const rect = group.querySelector("rect");
  at.scale = Math.max(at.scale, 0.8);
  at.x = canvas.clientWidth / 2 - (rect.x.baseVal.value + rect.width.baseVal.value / 2) * at.scale;
  at.y = canvas.clientHeight / 2 - (rect.y.baseVal.value + rect.height.baseVal.value / 2) * at.scale;
  place();
}

function show(key) {
  const next = sceneOf(key) || content[side][0];
  scene = next;
  canvas.innerHTML = next.svg;
  const texts = new Map(next.boxes.map((box) => [box.key, box.text || box.title]));
  for (const group of canvas.querySelectorAll("g[data-key]")) {
    const tooltip = document.createElementNS("http://www.w3.org/2000/svg", "title");
    tooltip.textContent = texts.get(group.dataset.key);
    group.prepend(tooltip);
  }
  document.body.dataset.scene = next.key;
  document.body.dataset.side = side;
  const path = element("path");
  path.replaceChildren();
  const trail = [];
  for (let one = next; one; one = one === content[side][0] ? null : sceneOf(one.parent)) trail.unshift(one);
  trail.forEach((one, index) => {
    if (index) path.append(" / ");
    path.append(button(one.title, () => show(one.key)));
  });
  fit();
}

function search(text) {
  const found = element("found");
  found.replaceChildren();
  const wanted = text.trim().toLowerCase();
  if (!wanted) return;
  let count = 0;
  for (const one of content[side]) {
    for (const box of one.boxes) {
      if (box.kind === "outside") continue;
      const results = box.text.split("\n").filter((line) => line.startsWith("out "));
      if (![box.title, box.key, ...results].some((text) => text.toLowerCase().includes(wanted))) continue;
      if (++count > MOST_FOUND) continue;
      const item = document.createElement("li");
      item.append(
        button(`${box.title} ${box.key}`, () => {
          show(one.key);
          select(box.key);
          center(box.key);
        }),
      );
      found.append(item);
    }
  }
  const total = document.createElement("li");
  total.textContent = count > MOST_FOUND ? `${count} found, ${MOST_FOUND} shown` : `${count} found`;
  found.prepend(total);
  document.body.dataset.found = count;
}

function turn(name) {
  const key = scene ? scene.key : "";
  side = name;
  for (const one of element("sides").children) one.setAttribute("aria-pressed", one.textContent === name);
  show(key);
  search(element("search").value);
}

element("in").addEventListener("click", () => zoom(1.3));
element("out").addEventListener("click", () => zoom(1 / 1.3));
element("fit").addEventListener("click", fit);
element("search").addEventListener("input", (event) => search(event.target.value));
canvas.addEventListener("click", (event) => {
  const group = event.target.closest("g[data-key]");
  if (group) select(group.dataset.key);
});
canvas.addEventListener("dblclick", (event) => {
  const group = event.target.closest("g[data-opens]");
  if (group) show(group.dataset.opens);
});
canvas.addEventListener(
  "wheel",
  (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
  },
  { passive: false },
);
canvas.addEventListener("pointerdown", (event) => {
  const from = { x: event.clientX - at.x, y: event.clientY - at.y };
  const move = (next) => {
    at.x = next.clientX - from.x;
    at.y = next.clientY - from.y;
    place();
  };
  const stop = () => {
    window.removeEventListener("pointermove", move);
    window.removeEventListener("pointerup", stop);
  };
  window.addEventListener("pointermove", move);
  window.addEventListener("pointerup", stop);
});
window.addEventListener("keydown", (event) => {
  if (event.target === element("search")) return;
  if (event.key === "+") zoom(1.3);
  if (event.key === "-") zoom(1 / 1.3);
  if (event.key === "0") fit();
});
// Scripts that drive the page wait for it.
const ready = unpack(element("content").textContent).then(
  (sides) => {
    content = sides;
    const names = Object.keys(content);
    if (names.length > 1) {
      for (const name of names) element("sides").append(button(name, () => turn(name)));
    }
    turn(names[0]);
  },
  (error) => {
    element("about").textContent = `This page needs a browser of 2023 or newer. (${error})`;
    throw error;
  },
);
