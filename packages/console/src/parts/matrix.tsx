// The matrix: tools × clients. Only what is in sight is in the document, so that ten thousand rows cost what fifty do.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Column, Names } from "../api.js";
import { Text } from "./text.js";

const ROW = 34;
const HEAD = 44;
const SCROLLBAR = 18;
const OVERSCAN = 6;

type Row = Names["tools"][number];
type Cell = Column["cells"][number];

export interface MatrixColumn {
  readonly id: string;
  readonly title: string;
  /** Absent while it is on its way. */
  readonly column: Column | undefined;
}

/** The worst that is known of a tool, and what to do. */
export interface Trouble {
  readonly severity: string;
  readonly text: string;
}

export function Matrix({
  rows,
  columns,
  troubled,
}: {
  /** Positions in the report, after the filters. */
  rows: readonly { readonly tool: Row; readonly index: number }[];
  columns: readonly MatrixColumn[];
  /** By the key of a tool with a problem. */
  troubled: ReadonlyMap<string, Trouble>;
}) {
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, left: 0, height: 600, width: 1200 });
  const measure = () => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop: top, scrollLeft: left, clientHeight: height, clientWidth: width } = element;
    view.value = { top, left, height, width };
  };
  useLayoutEffect(() => {
    measure();
    const watcher = new ResizeObserver(measure);
    if (box.current !== null) watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  const { top, left, height, width } = view.value;
  const isNarrow = width < 700;
  const first = isNarrow ? 150 : 300;
  const least = isNarrow ? 190 : 240;
  // Few columns share the width that is there.
  const each = Math.max(least, Math.floor((width - first) / Math.max(1, columns.length)));
  const from = Math.max(0, Math.floor(top / ROW) - OVERSCAN);
  const to = Math.min(rows.length, Math.ceil((top + height) / ROW) + OVERSCAN);
  const columnFrom = Math.max(0, Math.floor((left - each) / each));
  const columnTo = Math.min(columns.length, Math.ceil((left + width) / each) + 1);
  const shown = columns.slice(columnFrom, columnTo);
  // A row that leaves gives its elements to one that comes: to make them anew is what scrolling would cost.
  const slots = Math.ceil(height / ROW) + 2 * OVERSCAN + 2;
  const total = first + columns.length * each;
  return (
    <div
      class="matrix"
      ref={box}
      style={{ flexBasis: `${HEAD + rows.length * ROW + SCROLLBAR}px` }}
      onScroll={measure}
      tabIndex={0}
      role="table"
      aria-label="Names of tools in clients"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
    >
      <div class="matrix-head" role="row" style={{ width: `${total}px` }}>
        <div class="matrix-tool" role="columnheader" style={{ width: `${first}px` }}>
          Tool
        </div>
        {shown.map(({ id, title, column }, offset) => (
          <div
            key={id}
            role="columnheader"
            class="matrix-client"
            style={{ width: `${each}px`, left: `${first + (columnFrom + offset) * each}px` }}
          >
            <span class="text" title={title}>
              {title}
            </span>
            <span class="dim">{column === undefined ? "…" : describeRoom(column)}</span>
          </div>
        ))}
      </div>
      <div
        role="rowgroup"
        class="matrix-body"
        style={{ height: `${rows.length * ROW}px`, width: `${total}px` }}
      >
        {rows.slice(from, to).map(({ tool, index }, offset) => (
          <div
            key={(from + offset) % slots}
            role="row"
            aria-rowindex={from + offset + 2}
            class={`matrix-row ${troubled.get(tool.key)?.severity ?? ""}`}
            style={{ transform: `translateY(${(from + offset) * ROW}px)`, width: `${total}px` }}
          >
            <div class="matrix-tool" role="rowheader" style={{ width: `${first}px` }}>
              <a href={`#/tool/${encodeURIComponent(tool.key)}`} title={troubled.get(tool.key)?.text}>
                <Text value={tool.canonical} mono />
              </a>
            </div>
            {shown.map(({ id, column }, place) => (
              <div
                key={id}
                role="cell"
                class="matrix-cell"
                style={{ width: `${each}px`, left: `${first + (columnFrom + place) * each}px` }}
              >
                {column !== undefined && <NameCell cell={column.cells[index]} room={column.room} />}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function describeRoom({ room, prefix }: Column): string {
  const length = room === undefined ? "no limit" : `${room} characters`;
  return prefix === "" ? length : `${prefix}… ${length}`;
}

/** Marks of names that are not simply what their style gives them. */
const MARKS: Readonly<Record<string, { readonly sign: string; readonly title: string }>> = {
  cut: { sign: "#", title: "cut, with a digest" },
  numbered: { sign: "2", title: "numbered, because another tool has the name" },
  fitted: { sign: "~", title: "with the characters this client takes" },
  unrepeated: { sign: "~", title: "without what it repeats" },
  locked: { sign: "=", title: "kept from before by the lock" },
  pinned: { sign: "!", title: "pinned by the operator" },
};

function NameCell({ cell, room }: { cell: Cell | undefined; room: number | undefined }) {
  if (cell === undefined || cell === null) return <span class="bad-text">no name</span>;
  const [sent, length, kind, why] = cell;
  const mark = MARKS[kind];
  const share = room === undefined ? undefined : Math.min(1, length / room);
  return (
    <>
      <Text value={sent} mono />
      {mark !== undefined && (
        <abbr class={`sign ${kind}`} title={`${mark.title}: ${why}`}>
          {mark.sign}
        </abbr>
      )}
      {share !== undefined && room !== undefined && (
        <span
          class={share > 0.9 ? "budget full" : "budget"}
          role="img"
          aria-label={`${room - length} characters left of ${room}`}
          title={`${room - length} characters left of ${room}`}
          style={{ backgroundSize: `${100 * share}% 100%` }}
        />
      )}
    </>
  );
}
