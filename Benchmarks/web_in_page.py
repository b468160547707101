"""Scripts that `web.py` runs inside the page, as the browser's developer tools do."""

# Runs before the page's own scripts. `measured.first` is fulfilled with the time from navigation
# to the first frame after rows with texts are in the list.
FIRST_ROWS = """
(() => {
  const hasRows = () => document.querySelector('.list-body .row .cell.path')?.textContent.startsWith('/');
  const afterFrame = (run) => requestAnimationFrame(() => setTimeout(run));
  const measured = window.measured = { filtered: null };
  measured.first = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (!hasRows()) return;
      observer.disconnect();
      afterFrame(() => resolve(performance.now()));
    });
    observer.observe(document, { childList: true, subtree: true, characterData: true });
  });
  measured.resources = () => performance.getEntries()
    .filter((entry) => 'requestStart' in entry && entry.requestStart > 0 && !entry.name.includes('/events'))
    .map((entry) => ({ name: entry.name, start: entry.startTime, request: entry.requestStart, end: entry.responseEnd || performance.now() }));
  measured.watchFilter = () => {
    measured.filtered = new Promise((resolve) => {
      let began = null;
      addEventListener('keydown', () => { began = performance.now(); }, { capture: true, once: true });
      const list = document.querySelector('exchange-list');
      list.source.addEventListener('reset', () => afterFrame(() => resolve(performance.now() - began)), { once: true });
    });
  };
})();
"""

# Fulfilled with the time from the key that applied a filter to the first frame with its rows.
FILTERED = "() => window.measured.filtered"

# Scrolls by so many pixels in each of so many frames; returns the length of each frame.
SCROLL = """
async ([step, count]) => {
  const scroller = document.querySelector('.scroller');
  const frames = [];
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let last = await frame();
  for (let number = 0; number < count; number += 1) {
    scroller.scrollTop += step;
    const now = await frame();
    frames.push(now - last);
    last = now;
  }
  return frames;
}
"""
