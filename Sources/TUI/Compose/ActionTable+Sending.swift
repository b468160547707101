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
            "Send it again, byte for byte, and compare the responses", hint: "replay"),
        Action(
            .repeatMany, [Key("*")], [.list, .detail],
            "Send it or the marked ones many times"),
        Action(
            .otherSide, [Key("o")], [.comparison], "Switch between original and replay",
            hint: "other side"),
        Action(
            .showSidesDiff, [Key("D")], [.comparison], "Show the differences line by line",
            hint: "diff"),
        Action(
            .export, [Key("X")], [.list, .detail],
            "Export it, the marked ones or what the filter shows to a file", hint: "export"),
        Action(
            .saveStoredBody, [Key("b")], [.list], "Save the response's body to a file"),
        Action(
            .copyCurlRedacted, [.alt("y")], [.list, .detail],
            "Copy it as a curl command without credentials"),
        Action(.copyRequestHead, [.alt("H")], [.list, .detail], "Copy the request's head"),
        Action(.copyRequestBody, [.alt("B")], [.list, .detail], "Copy the request's body"),
    ]
}
