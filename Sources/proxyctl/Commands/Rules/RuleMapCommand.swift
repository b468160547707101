internal import ProxydPresentation
internal import ArgumentParser
internal import Capture
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// `proxyctl rule map`: saves a captured body, and adds a rule that serves it from then on.
struct RuleMapCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "map",
        abstract: "Save a captured response body to a file, and serve that file from now on.",
        discussion: """
            The body is saved decoded; the rule answers requests for the same method, host and \
            path with the current content of the file: edit it and request again.
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: RuleChangeOptions
    @Argument(help: ExchangeArgument.help)
    var id: ExchangeArgument
    @Option(
        help: ArgumentHelp(
            "Where to save the body. (default: a name from the URL)", valueName: "file"))
    var output: String?
    @Option(help: ArgumentHelp("The rule's name. (default: 'map' and the path)", valueName: "name"))
    var name: String?

    func run() throws {
        let reader: any ExchangeReading = try StoreAccess.reader(global.dataDirectory())
        let mapping = try RuleMapping(
            try id.id(in: reader), reader, output: output, name: name)
        try mapping.make { try options.make($0, global) }
        if !options.json { Report().line(StyledText(mapping.words)) }
    }
}
