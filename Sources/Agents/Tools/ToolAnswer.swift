internal import ProxydParameterCoding

/// The result of a tool, before it is made safe and cut.
struct ToolAnswer {
    let members: [(String, JSONValue)]
    /// Where captured text in it comes from; nil if there is none.
    let origin: String?
    /// How to get what is cut from an answer that is too long.
    let advice: String

    /// Creates an answer with captured text.
    static func captured(
        _ members: [(String, JSONValue)], from origin: String, advice: String
    ) -> ToolAnswer {
        ToolAnswer(members: members, origin: origin, advice: advice)
    }

    /// Creates an answer without captured text.
    static func own(
        _ members: [(String, JSONValue)], advice: String = "ask for less at a time"
    ) -> ToolAnswer {
        ToolAnswer(members: members, origin: nil, advice: advice)
    }
}
