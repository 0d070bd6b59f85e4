/** @jsxImportSource react */
import { closestCenter, DndContext } from '@dnd-kit/core';
import { arrayMove, SortableContext, useSortable } from '@dnd-kit/sortable';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { at, expose, markup } from './page.ts';

markup('<div id="app"></div>');
let last: string[] = [];
expose(() => last);

function Item({ id }: { id: string }) {
  const { attributes, listeners, setNodeRef, transform } = useSortable({ id });
  const style = { height: 40, width: 200, transform: transform ? `translateY(${transform.y}px)` : undefined };
  return (
    <div ref={setNodeRef} style={style} {...attributes} {...listeners}>
      {id}
    </div>
  );
}

function List() {
  const [items, setItems] = useState(['One', 'Two', 'Three']);
  last = items;
  return (
    <DndContext
      collisionDetection={closestCenter}
      onDragEnd={({ active, over }) => {
        if (over) setItems((now) => arrayMove(now, now.indexOf(String(active.id)), now.indexOf(String(over.id))));
      }}
    >
      <SortableContext items={items}>
        {items.map((id) => (
          <Item key={id} id={id} />
        ))}
      </SortableContext>
    </DndContext>
  );
}

createRoot(at('#app')).render(<List />);
