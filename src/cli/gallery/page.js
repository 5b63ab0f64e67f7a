"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
let frame = 0; // which is shown
let look = null; // in the full view
let split = 50; // percent of the width that the source has

const picture = (name, small) => `${frame}-${name}${small ? "-small" : ""}.png`;
const make = (tag, text, props) => Object.assign(document.createElement(tag), { textContent: text }, props);

function drawGrid() {
  $("grid").replaceChildren();
  let filter = null;
  for (const index of data.frames[frame].looks) {
    const of = data.looks[index];
    if (of.filter !== filter) $("grid").append(make("h2", (filter = of.filter)));
    const button = make("button", "", { className: "look", type: "button", onclick: () => open(index) });
    button.dataset.look = index;
    button.append(
      make("img", "", { src: picture(index, true), alt: "", loading: "lazy" }),
      make("span", of.preset),
      make("small", of.doc));
    $("grid").append(button);
  }
  [...$("frames").children].forEach((button, i) => button.setAttribute("aria-pressed", i === frame));
}

function drawView() {
  $("view").hidden = look === null;
  if (look === null) return;
  const of = data.looks[look];
  $("after").src = picture(look);
  $("before").src = picture("source");
  $("after").alt = `${of.filter} ${of.preset}`;
  $("name").textContent = `${of.filter}: ${of.preset}`;
  $("doc").textContent = `${of.doc} (${data.frames[frame].label})`;
  $("command").value = of.command;
  $("copied").textContent = "";
  drawSplit(split);
}

function drawSplit(percent) {
  // The line lies on the picture, which may be narrower than the stage.
  const { width, height } = data.frames[frame], { clientWidth: w, clientHeight: h } = $("stage");
  const shown = Math.min(w, (h * width) / height), left = (w - shown) / 2, at = left + (shown * percent) / 100;
  $("before").style.clipPath = `inset(0 ${w - at}px 0 0)`;
  $("line").style.left = `${at}px`;
  $("slider").value = percent;
}

function setSplit(percent) {
  split = Math.max(0, Math.min(100, percent));
  drawSplit(split);
}

function open(index) {
  look = index;
  drawView();
  $("slider").focus();
}

function close() {
  const from = look;
  look = null;
  drawView();
  const button = document.querySelector(`[data-look="${from}"]`);
  if (button) button.focus();
}

function step(by) {
  const { looks } = data.frames[frame];
  look = looks[(looks.indexOf(look) + by + looks.length) % looks.length];
  drawView();
}

function show(number) {
  frame = (number + data.frames.length) % data.frames.length;
  if (look !== null && !data.frames[frame].looks.includes(look)) look = data.frames[frame].looks[0];
  drawGrid();
  drawView();
}

async function copy() {
  const text = $("command").value;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    $("command").select(); // pages from disk may not have the clipboard
    document.execCommand("copy");
  }
  $("copied").textContent = "copied";
}

// The grid's button before or after the one with the focus.
function move(by) {
  const buttons = [...document.querySelectorAll(".look")];
  const at = buttons.indexOf(document.activeElement);
  buttons[at < 0 ? 0 : Math.max(0, Math.min(buttons.length - 1, at + by))].focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const full = look !== null;
  const keys = {
    ArrowLeft: () => (full ? step(-1) : move(-1)),
    ArrowRight: () => (full ? step(1) : move(1)),
    ArrowUp: () => show(frame - 1),
    ArrowDown: () => show(frame + 1),
    Escape: () => full && close(),
    a: () => full && setSplit(split - 5),
    d: () => full && setSplit(split + 5),
    c: () => full && copy(),
  };
  if (event.key === " " && full && event.target.tagName !== "BUTTON") {
    event.preventDefault();
    return drawSplit(100);
  }
  const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action || (!full && event.key.startsWith("Arrow") && data.frames.length < 2 && /Up|Down/.test(event.key))) return;
  event.preventDefault();
  action();
});
document.addEventListener("keyup", (event) => event.key === " " && look !== null && drawSplit(split));
$("slider").addEventListener("input", (event) => setSplit(Number(event.target.value)));
for (const kind of ["pointerdown", "pointermove"]) {
  $("stage").addEventListener(kind, (event) => {
    if (!event.buttons) return;
    const { width, height } = data.frames[frame], box = $("stage").getBoundingClientRect();
    const shown = Math.min(box.width, (box.height * width) / height);
    setSplit((100 * (event.clientX - box.left - (box.width - shown) / 2)) / shown);
  });
}
$("stage").addEventListener("dragstart", (event) => event.preventDefault());
addEventListener("resize", () => look !== null && drawSplit(split));
$("previous").onclick = () => step(-1);
$("next").onclick = () => step(1);
$("close").onclick = close;
$("copy").onclick = copy;

$("title").textContent = document.title = `${data.title}: looks`;
$("note").hidden = !data.eight;
data.frames.forEach((of, i) => $("frames").append(make("button", of.label, { type: "button", onclick: () => show(i) })));
drawGrid();
