internal import ProxydInterchange
internal import ProxydParameterCoding
internal import ProxydPresentation

/// Styled text as runs with roles, which the page draws as spans.
enum SpansJSON {
    /// The runs of a line.
    static func value(_ line: StyledText) -> JSONValue {
        .array(line.runs.map(value))
    }

    private static func value(_ run: StyledText.Run) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("text", .string(run.text)), ("role", .string("\(run.style.foreground)")),
        ]
        if run.style.background != .plain {
            members.append(("background", .string("\(run.style.background)")))
        }
        return .members(members)
    }
}
