internal import ArgumentParser
internal import ProxydFilter

/// A filter as arguments: one quoted text, or several words that stand for `and`.
struct FilterArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("Which exchanges; see proxyctl help filter.", valueName: "filter"))
    var words: [String] = []

    /// The filter's text; nil where no filter was given.
    var text: String? {
        let text = words.joined(separator: " ")
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    /// The filter; nil where none was given. A mistake in it is wrong usage.
    func filter() throws -> Filter? {
        try text.map(FilterArgument.parse)
    }

    /// Reads a filter. A mistake in it is wrong usage.
    static func parse(_ text: String) throws -> Filter {
        do throws(FilterError) {
            return try Filter.parse(text)
        } catch {
            throw CommandFailure(explain(error, text), code: .usage)
        }
    }

    /// The message, with the filter below it and a mark under the mistake where it fits one line.
    static func explain(_ error: FilterError, _ text: String) -> String {
        "filter, column \(error.column): \(error.message): \(text)"
    }
}
