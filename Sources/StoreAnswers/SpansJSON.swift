internal import ProxydExchangeContent
package import ProxydParameterCoding
package import ProxydPresentation

/// Styled text as runs with roles, which the page draws as spans.
package enum SpansJSON {
    /// The runs of a line.
    package static func value(_ line: StyledText) -> JSONValue {
        .array(line.runs.map(value))
    }

    private static func value(_ run: StyledText.Run) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("text", .string(run.text)), ("role", .string("\(run.style.foreground)")),
        ]
        if run.style.background != .plain {
            members.append(("background", .string("\(run.style.background)")))
        }
        if run.style.attributes.contains(.underline) { members.append(("marked", .bool(true))) }
        return .members(members)
    }
}
