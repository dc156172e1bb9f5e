// Sent events of one session, kept so that a client that lost its stream gets the rest.

export function createEventStore() {
  const events = [];
  return {
    async storeEvent(streamId, message) {
      events.push({ streamId, message });
      return String(events.length - 1);
    },
    async getStreamIdForEventId(eventId) {
      return events[Number(eventId)]?.streamId;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const last = Number(lastEventId);
      const streamId = events[last]?.streamId ?? "";
      for (const [index, event] of events.entries()) {
        // A priming event is an empty message: it marks a place and says nothing.
        const says = Object.keys(event.message).length > 0;
        if (index > last && event.streamId === streamId && says) await send(String(index), event.message);
      }
      return streamId;
    },
  };
}
