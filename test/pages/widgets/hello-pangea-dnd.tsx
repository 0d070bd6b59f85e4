/** @jsxImportSource react */
import { DragDropContext, Draggable, Droppable } from '@hello-pangea/dnd';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { at, expose, markup } from './page.ts';

markup('<div id="app"></div>');
type Board = Record<string, string[]>;
let last: Board = {};
expose(() => last);

function Columns() {
  const [board, setBoard] = useState<Board>({ Open: ['One', 'Two'], Done: ['Three'] });
  last = board;
  return (
    <DragDropContext
      onDragEnd={({ source, destination }) => {
        if (!destination) return;
        const next = structuredClone(board);
        const moved = next[source.droppableId]?.splice(source.index, 1) ?? [];
        next[destination.droppableId]?.splice(destination.index, 0, ...moved);
        setBoard(next);
      }}
    >
      {Object.entries(board).map(([name, cards]) => (
        <Droppable key={name} droppableId={name}>
          {({ innerRef, droppableProps, placeholder }) => (
            <section ref={innerRef} {...droppableProps} aria-label={name} style={{ width: 200, minHeight: 160 }}>
              {cards.map((card, index) => (
                <Draggable key={card} draggableId={card} index={index}>
                  {({ innerRef: ref, draggableProps, dragHandleProps }) => (
                    <div ref={ref} {...draggableProps} {...dragHandleProps}>
                      {card}
                    </div>
                  )}
                </Draggable>
              ))}
              {placeholder}
            </section>
          )}
        </Droppable>
      ))}
    </DragDropContext>
  );
}

createRoot(at('#app')).render(<Columns />);
