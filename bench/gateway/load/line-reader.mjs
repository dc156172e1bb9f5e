// Lines from a stream of bytes, without their line break.

export function createLineReader(onLine) {
  let parts = [];
  return (data) => {
    let at = 0;
    for (;;) {
      const stop = data.indexOf(10, at);
      if (stop < 0) break;
      const piece = data.subarray(at, stop);
      if (parts.length === 0) onLine(piece);
      else {
        const whole = Buffer.concat([...parts, piece]);
        parts = [];
        onLine(whole);
      }
      at = stop + 1;
    }
    if (at < data.length) parts.push(at === 0 ? data : data.subarray(at));
  };
}
