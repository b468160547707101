internal import ArgumentParser
internal import ProxydExchangeContent
internal import ProxydRedaction

/// Options of commands that can remove credentials from their output.
struct RedactionOptions: ParsableArguments {
    @Flag(help: "Remove credentials.")
    var redact = false
    @Option(
        name: .customLong("redact-header"),
        help: ArgumentHelp(
            "Also remove the values of this field; may be repeated. Implies --redact.",
            valueName: "name"))
    var fieldNames: [String] = []
    @Option(
        name: .customLong("redact-parameter"),
        help: ArgumentHelp(
            "Also remove the values of this parameter; may be repeated. Implies --redact.",
            valueName: "name"))
    var parameterNames: [String] = []

    func validate() throws {
        if (fieldNames + parameterNames).contains("") {
            throw ValidationError("a name to redact must not be empty")
        }
    }

    /// Removes credentials, or nil if that was not requested.
    var redactor: ExchangeRedactor? {
        guard redact || !fieldNames.isEmpty || !parameterNames.isEmpty else { return nil }
        return ExchangeRedactor(
            Redaction(addingFields: fieldNames, parameters: parameterNames))
    }
}
