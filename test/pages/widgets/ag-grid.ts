import { AllCommunityModule, createGrid, ModuleRegistry } from 'ag-grid-community';
import { at, expose, markup } from './page.ts';

markup('<div id="grid" style="height: 300px; width: 600px"></div>');
ModuleRegistry.registerModules([AllCommunityModule]);
const rows = [
  { id: 1, name: 'Ada', amount: 10 },
  { id: 2, name: 'Grace', amount: 20 },
  { id: 3, name: 'Edsger', amount: 30 },
];
let chosen: number[] = [];
const grid = createGrid<(typeof rows)[number]>(at('#grid'), {
  rowData: rows,
  columnDefs: [{ field: 'name' }, { field: 'amount', editable: true, cellDataType: 'number' }],
  rowSelection: { mode: 'multiRow' },
  stopEditingWhenCellsLoseFocus: true,
  onSelectionChanged: ({ api }) => {
    chosen = api.getSelectedRows().map(({ id }) => id);
  },
});
expose(() => {
  const shown: string[] = [];
  grid.forEachNodeAfterFilterAndSort(({ data }) => shown.push(data?.name ?? ''));
  return { amounts: rows.map(({ amount }) => amount), chosen, shown };
});
