// Actions whose modules are read when they are first used, so that the list is there sooner.

const door = (load, name) => async (...values) => (await load())[name](...values);

export const openHelp = door(() => import('./help.js'), 'openHelp');
export const openExport = door(() => import('./dialog-export.js'), 'openExport');
export const openClear = door(() => import('./dialog-clear.js'), 'openClear');
export const openColumns = door(() => import('./dialog-columns.js'), 'openColumns');
export const openComposer = door(() => import('./composer.js'), 'openComposer');
export const openCompare = door(() => import('./compare-view.js'), 'openCompare');
export const compareMarked = door(() => import('./diff-view.js'), 'compareMarked');
export const editNote = door(() => import('./annotations.js'), 'editNote');
export const editTags = door(() => import('./annotations.js'), 'editTags');
export const togglePin = door(() => import('./annotations.js'), 'togglePin');
export const copyAs = door(() => import('./exchange-actions.js'), 'copyAs');
export const replay = door(() => import('./exchange-actions.js'), 'replay');
