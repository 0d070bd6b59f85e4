/** One line of the sample expense report. */
export interface ExpenseLine {
  id: string;
  /** `2026-01-12`. */
  date: string;
  employee: string;
  category: 'Meals' | 'Hotel' | 'Travel' | 'Equipment' | 'Gifts';
  description: string;
  /** In `currency`. */
  amount: number;
  currency: 'EUR';
  receipt: boolean;
  status: 'Open' | 'Details asked' | 'Rejected' | 'Approved';
  /** What was last sent about it. */
  request?: { message: string; followUp: boolean };
}

/** Lines on one page of the list. */
export const PAGE_SIZE = 6;

type Row = [
  id: string,
  date: string,
  employee: string,
  category: ExpenseLine['category'],
  description: string,
  amount: number,
  receipt: boolean,
];

const ROWS: Row[] = [
  ['2041', '2026-01-12', 'Mira Lindqvist', 'Meals', 'Lunch with the Fjordline team', 48.9, true],
  ['2042', '2026-01-12', 'Tomás Reyes', 'Hotel', 'Two nights, Hotel Amsel, Leipzig', 612, true],
  ['2043', '2026-01-13', 'Aylin Demir', 'Travel', 'Train Berlin–Hamburg, return', 138.4, true],
  ['2044', '2026-01-13', 'Jonas Weber', 'Equipment', 'Conference camera with stand', 1240.5, true],
  ['2045', '2026-01-14', 'Mira Lindqvist', 'Travel', 'Taxi to the airport', 41.2, false],
  ['2046', '2026-01-17', 'Priya Nair', 'Meals', 'Dinner, Trattoria Vesuvio', 57.3, true],
  ['2047', '2026-01-19', 'Oluwaseun Adeyemi', 'Gifts', 'Welcome basket for a client', 39, true],
  ['2048', '2026-01-19', 'Jonas Weber', 'Meals', 'Coffee and rolls for a workshop', 22.75, false],
  ['2049', '2026-01-20', 'Aylin Demir', 'Hotel', 'One night, Elbquartier', 164, true],
  ['2050', '2026-01-20', 'Aylin Demir', 'Hotel', 'One night, Elbquartier', 164, true],
  ['2051', '2026-01-21', 'Chloé Martin', 'Equipment', 'USB-C hub, "Pro" model', 79.99, true],
  ['2052', '2026-01-22', 'Tomás Reyes', 'Travel', 'Rental car, three days', 287.1, true],
];

/** A fresh copy of the report: twelve lines, of which some break the sample policy and most do not. */
export function sampleLines(): ExpenseLine[] {
  return ROWS.map(([id, date, employee, category, description, amount, receipt]) => ({
    id,
    date,
    employee,
    category,
    description,
    amount,
    currency: 'EUR',
    receipt,
    status: 'Open',
  }));
}
