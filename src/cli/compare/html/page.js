"use strict";
(() => {
  const source = document.getElementById("numbers");
  if (!source) return;
  const numbers = JSON.parse(source.textContent);
  const readout = document.getElementById("readout");
  const plots = [...document.querySelectorAll(".plot")];
  const cursors = [...document.querySelectorAll(".cursor")];
  const last = numbers.x.length - 1;
  let shown = 0;

  // The frame nearest to x, whose places rise from frame to frame.
  const nearest = (x) => {
    let low = 0, high = last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers.x[middle] < x) low = middle + 1; else high = middle;
    }
    return low > 0 && x - numbers.x[low - 1] < numbers.x[low] - x ? low - 1 : low;
  };

  const show = (frame) => {
    shown = Math.min(Math.max(frame, 0), last);
    for (const cursor of cursors) {
      cursor.setAttribute("transform", `translate(${numbers.x[shown]})`);
      cursor.style.visibility = "visible";
    }
    const time = numbers.time[shown];
    const planes = numbers.planes.map((name, i) => {
      const psnr = numbers.psnr[i][shown];
      const decibels = psnr === null ? "equal" : `${psnr.toFixed(3)} dB`;
      return `${name}: ${decibels}, SSIM ${numbers.ssim[i][shown].toFixed(6)}, max ${numbers.max[i][shown]}`;
    });
    const when = time === null ? "" : ` (${time.toFixed(3)} s)`;
    const banding = numbers.banding.map((index, i) => `banding of ${"AB"[i]} ${index[shown].toFixed(3)}`);
    readout.textContent = `Frame ${numbers.index[shown]}${when}. ${[...planes, ...banding].join("; ")}`;
  };

  const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -25, PageDown: 25, Home: -Infinity, End: Infinity };
  for (const plot of plots) {
    const point = (event) => {
      const box = plot.getBoundingClientRect();
      show(nearest((event.clientX - box.left) / box.width * plot.viewBox.baseVal.width));
    };
    plot.addEventListener("pointermove", point);
    plot.addEventListener("pointerdown", point);
    plot.addEventListener("keydown", (event) => {
      if (!(event.key in steps)) return;
      event.preventDefault();
      show(shown + steps[event.key]);
    });
  }
})();
