extension ActionID {
    static let filterMessages = ActionID("messages.filter")
    static let clearMessageFilter = ActionID("messages.filter.clear")
    static let followMessages = ActionID("messages.follow")
    static let hidePings = ActionID("messages.pings")
    static let nextMessage = ActionID("messages.next")
    static let previousMessage = ActionID("messages.previous")
}

extension ActionTable {
    static let messages = [
        Action(.filterMessages, [Key("f")], [.messages], "Filter the messages", hint: "filter"),
        Action(
            .clearMessageFilter, [.control("u")], [.messages],
            "Clear the filter; the selected message stays"),
        Action(
            .followMessages, [Key("F")], [.messages], "Follow new messages, or stop",
            hint: "follow"),
        Action(.hidePings, [Key("P")], [.messages], "Hide pings and pongs, or show them"),
        Action(
            .nextMessage, [Key(">")], [.messages],
            "Go to the next message, also while one is open"),
        Action(.previousMessage, [Key("<")], [.messages], "Go to the previous message"),
    ]
}
