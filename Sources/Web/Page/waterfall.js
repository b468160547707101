// The column of the waterfall. What draws it is read when it is first shown.

import { state } from './state.js';

let chart = null;

/// Takes nearly half of the list; its heading is the axis.
export const WATERFALL = {
  name: 'waterfall', title: 'Waterfall', width: 0, track: '45%', rank: 0, text: () => '',
  fillHeading: (cell) => chart?.placeAxis(cell),
};

/// Reads what draws the waterfall, and returns the element with its legend and buttons.
export async function waterfallTools(list) {
  const { WaterfallChart } = await import('./waterfall-chart.js');
  chart ??= new WaterfallChart(list, () => state.tell('waterfall'));
  return chart.tools;
}

/// The axis of the rows that are visible, or null.
export function timeScale(rows) {
  return chart?.scaleOf(rows.filter(Boolean)) ?? null;
}

/// Draws a row's bar into a cell.
export function drawBar(cell, row, scale) {
  chart?.drawBar(cell, row, scale);
}
