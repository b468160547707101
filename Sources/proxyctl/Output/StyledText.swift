/// One line of output: pieces of text, each with its style.
///
/// Text may come from captured traffic. It is made safe when the line is rendered, never before,
/// so that no way around that exists.
struct StyledText: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation
{
    struct Run: Sendable, Equatable {
        let text: String
        let style: Style
    }

    private(set) var runs: [Run] = []

    init() {}

    init(_ text: String, _ style: Style = .plain) { append(text, style) }

    init(stringLiteral value: String) { self.init(value) }

    mutating func append(_ text: String, _ style: Style = .plain) {
        if !text.isEmpty { runs.append(Run(text: text, style: style)) }
    }

    /// Spaces in front of everything else.
    var leadingSpaceCount: Int {
        var count = 0
        for run in runs {
            let spaces = run.text.prefix { $0 == " " }.count
            count += spaces
            if spaces < run.text.count { break }
        }
        return count
    }

    static func + (left: StyledText, right: StyledText) -> StyledText {
        var sum = left
        sum.runs += right.runs
        return sum
    }

    static func += (left: inout StyledText, right: StyledText) { left.runs += right.runs }
}
