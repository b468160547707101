import ProxydHTTPModel

extension FilterManual {
    /// Filters that select messages of one exchange. They are not part of `sections`, whose
    /// examples select exchanges.
    public static let messageFilters = FilterSection(
        "Message filters",
        "proxyctl messages ID FILTER selects messages of one exchange. Words and "
            + "tests are written and joined as above; a word is searched for in a message's text. "
            + "The fields are these.",
        [
            FilterEntry(
                "text",
                "the text; for a close frame its reason, for an event its lines with field names",
                .init("apples", "messages with apples in them"),
                .init("text~\"^\\{\"", "messages that start like a JSON object")),
            FilterEntry(
                "kind",
                "the kind: "
                    + MessageRecord.Kind.allCases.map(\.name).joined(separator: ", "),
                .init("kind=text", "WebSocket text messages"),
                .init("not (kind=ping or kind=pong)", "everything except pings and pongs")),
            FilterEntry(
                "direction", "the direction: to_server or to_client; dir for short",
                .init("dir=to_client", "what the server sent")),
            FilterEntry(
                "bytes", "the length in bytes after decompression",
                .init("bytes>10k", "messages of more than 10,000 bytes")),
            FilterEntry(
                "event", "the type of a server-sent event; \"message\" if it has none",
                .init("event=price", "events of type price")),
            FilterEntry(
                "id", "the id of a server-sent event", .init("id=7", "the event with id 7")),
            FilterEntry(
                "data", "the data of a server-sent event, with its lines joined",
                .init("data:apples", "events with apples in their data")),
            FilterEntry(
                "code", "the code of a close frame; 1005 if it has none",
                .init("code>1000", "close frames with a code other than 1000 (normal closure)")),
            FilterEntry(
                "problem", "the protocol rule that it violates",
                .init("problem:\"\"", "messages that violate a rule")),
        ])
}
