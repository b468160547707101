extension ActionID {
    static let replay = ActionID("replay")
    static let repeatMany = ActionID("replay.many")
    static let otherSide = ActionID("comparison.other-side")
    static let showSidesDiff = ActionID("comparison.diff")
    static let export = ActionID("export")
    static let saveStoredBody = ActionID("body.save")
    static let copyCurlRedacted = ActionID("copy.curl.redacted")
    static let copyRequestHead = ActionID("copy.request-head")
    static let copyRequestBody = ActionID("copy.request-body")
}

extension ActionTable {
    static let sending = [
        Action(
            .replay, [Key("r")], [.list, .detail],
            "Send it again, octet for octet, and compare what comes", hint: "replay"),
        Action(
            .repeatMany, [Key("*")], [.list, .detail],
            "Send it, or what is marked, many times"),
        Action(
            .otherSide, [Key("o")], [.comparison], "Go to the other side: original or replay",
            hint: "other side"),
        Action(
            .showSidesDiff, [Key("D")], [.comparison], "Show line by line how the two differ",
            hint: "diff"),
        Action(
            .export, [Key("X")], [.list, .detail],
            "Export it, what is marked or what the filter shows to a file", hint: "export"),
        Action(
            .saveStoredBody, [Key("b")], [.list], "Save the response's body to a file"),
        Action(
            .copyCurlRedacted, [.alt("y")], [.list, .detail],
            "Copy it as a curl command without credentials"),
        Action(.copyRequestHead, [.alt("H")], [.list, .detail], "Copy the request's head"),
        Action(.copyRequestBody, [.alt("B")], [.list, .detail], "Copy the request's body"),
    ]
}
