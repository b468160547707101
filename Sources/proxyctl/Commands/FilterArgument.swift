internal import ArgumentParser
internal import ProxydFilter

/// A filter as arguments: one quoted text, or several words joined by `and`.
struct FilterArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The exchanges to select; see proxyctl help filter.", valueName: "filter"))
    var words: [String] = []

    /// The filter's text, or nil if no filter was given.
    var text: String? {
        let text = words.joined(separator: " ")
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    /// The filter, or nil if none was given. An error in it is wrong usage.
    func filter() throws -> Filter? {
        try text.map(FilterArgument.parse)
    }

    /// Parses a filter. An error in it is wrong usage.
    static func parse(_ text: String) throws -> Filter {
        do throws(FilterError) {
            return try Filter.parse(text)
        } catch {
            throw CommandFailure(explain(error, text), code: .usage)
        }
    }

    /// The error message, followed by the filter with a mark at the error if it fits on one line.
    static func explain(_ error: FilterError, _ text: String) -> String {
        "filter, column \(error.column): \(error.message): \(text)"
    }
}
