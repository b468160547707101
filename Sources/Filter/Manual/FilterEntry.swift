/// One manual entry: a form that can be written in a filter, its meaning, and examples.
public struct FilterEntry: Sendable, Hashable {
    /// A complete filter and a description of what it finds.
    public struct Example: Sendable, Hashable {
        /// The filter's text.
        public let filter: String
        /// A description of what passes the filter.
        public let finding: String

        init(_ filter: String, _ finding: String) {
            self.filter = filter
            self.finding = finding
        }
    }

    /// How it is written; parts in capitals or angle brackets are placeholders: `header.NAME`,
    /// `<field>=<text>`, `~u REGEX`.
    public let form: String
    /// A description of the meaning.
    public let meaning: String
    /// At least one example; a test runs each of them.
    public let examples: [Example]
    /// The fixed part that completion inserts: `status=`, `header.`, `~u `. nil if there is nothing
    /// to complete.
    public let completion: String?
    /// The possible values of a field if there are only a few; otherwise empty.
    public let values: [String]

    /// An entry about the language itself.
    init(_ form: String, _ meaning: String, _ examples: Example...) {
        self.init(form: form, meaning: meaning, examples: examples)
    }

    /// An entry for a field, with its most common operator, which completion inserts.
    init(
        _ field: FilterField, _ comparison: FilterOperator, _ meaning: String,
        values: [String] = [], _ examples: Example...
    ) {
        let name = field.rawValue
        self.init(
            form: field.takesName ? "\(name).NAME" : name, meaning: meaning, examples: examples,
            completion: field.takesName ? "\(name)." : name + comparison.rawValue, values: values)
    }

    /// An entry for a mitmproxy operator.
    init(_ found: MitmproxyOperator, _ meaning: String, _ examples: Example...) {
        let name = "~\(found.rawValue)"
        let value = found == .c ? " CODE" : " REGEX"
        self.init(
            form: found.takesArgument ? name + value : name, meaning: meaning,
            examples: examples, completion: found.takesArgument ? "\(name) " : name)
    }

    private init(
        form: String, meaning: String, examples: [Example], completion: String? = nil,
        values: [String] = []
    ) {
        self.form = form
        self.meaning = meaning
        self.examples = examples
        self.completion = completion
        self.values = values
    }
}
