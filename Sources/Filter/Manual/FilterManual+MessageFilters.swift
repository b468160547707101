import ProxydHTTPModel

extension FilterManual {
    /// Filters that select messages of one exchange. They are not part of `sections`, whose
    /// examples select exchanges.
    public static let messageFilters = FilterSection(
        "Filters of messages",
        "proxyctl messages ID FILTER chooses among the messages of one exchange. Words, tests and "
            + "how they are joined are as above; a word is looked for in what a message says. "
            + "These are the fields.",
        [
            FilterEntry(
                "text", "what a message says: the reason of a closing frame, an event as its lines",
                .init("apples", "messages with apples in them"),
                .init("text~\"^\\{\"", "messages that begin like an object of JSON")),
            FilterEntry(
                "kind",
                "what it is: "
                    + MessageRecord.Kind.allCases.map(\.name).joined(separator: ", "),
                .init("kind=text", "text messages of a WebSocket"),
                .init("not (kind=ping or kind=pong)", "all but pings and pongs")),
            FilterEntry(
                "direction", "which way it went: to_server or to_client; dir for short",
                .init("dir=to_client", "what the server sent")),
            FilterEntry(
                "bytes", "its length, decompressed",
                .init("bytes>10k", "messages of more than 10,000 bytes")),
            FilterEntry(
                "event", "the name of a server-sent event; message where it has none",
                .init("event=price", "events named price")),
            FilterEntry(
                "id", "the id of a server-sent event", .init("id=7", "the event 7")),
            FilterEntry(
                "data", "the data of a server-sent event, its lines joined",
                .init("data:apples", "events with apples in their data")),
            FilterEntry(
                "code", "the code of a closing frame; 1005 where it has none",
                .init("code>1000", "ends that are not as usual")),
            FilterEntry(
                "problem", "the rule that it breaks",
                .init("problem:\"\"", "messages that break a rule")),
        ])
}
