import { render } from 'preact';

const root = document.getElementById('root');
if (root) render(<main style={{ minWidth: '20rem', minHeight: '10rem' }}>Tabloom popup</main>, root);
