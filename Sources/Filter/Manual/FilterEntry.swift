/// One thing that can be written in a filter: what it means, and filters that use it.
public struct FilterEntry: Sendable, Hashable {
    /// A whole filter and what it finds.
    public struct Example: Sendable, Hashable {
        /// The filter.
        public let filter: String
        /// What passes it, in words.
        public let finding: String

        init(_ filter: String, _ finding: String) {
            self.filter = filter
            self.finding = finding
        }
    }

    /// How it is written; what stands in capitals or in angle brackets is to be replaced:
    /// `header.NAME`, `<field>=<text>`, `~u REGEX`.
    public let form: String
    /// What it means, in words.
    public let meaning: String
    /// At least one; each is run by a test.
    public let examples: [Example]
    /// What completion inserts, as far as it is fixed: `status=`, `header.`, `~u `. Nil where there
    /// is nothing to complete.
    public let completion: String?
    /// The values that a field can have, where they are few.
    public let values: [String]

    /// A row about the language itself.
    init(_ form: String, _ meaning: String, _ examples: Example...) {
        self.init(form: form, meaning: meaning, examples: examples)
    }

    /// A field with the operator that fits it best, which completion inserts.
    init(
        _ field: FilterField, _ comparison: FilterOperator, _ meaning: String,
        values: [String] = [], _ examples: Example...
    ) {
        let name = field.rawValue
        self.init(
            form: field.takesName ? "\(name).NAME" : name, meaning: meaning, examples: examples,
            completion: field.takesName ? "\(name)." : name + comparison.rawValue, values: values)
    }

    /// One of mitmproxy's operators.
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
