/** @jsxImportSource react */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { at, expose, markup } from './page.ts';

markup('<div id="app"></div>');
let chosen = -1;
expose(() => chosen);

function List() {
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({ count: 10_000, getScrollElement: () => scroller.current, estimateSize: () => 30 });
  return (
    <section ref={scroller} aria-label="Orders" style={{ height: 200, overflow: 'auto' }}>
      <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ index, key, start }) => (
          <button
            key={key}
            type="button"
            style={{ position: 'absolute', top: 0, height: 30, transform: `translateY(${start}px)` }}
            onClick={() => {
              chosen = index;
            }}
          >
            Order {index}
          </button>
        ))}
      </div>
    </section>
  );
}

createRoot(at('#app')).render(<List />);
