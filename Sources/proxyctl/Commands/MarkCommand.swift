internal import ArgumentParser
internal import ProxydControl
internal import ProxydHTTPModel
internal import ProxydOperations

/// `proxyctl mark`: changes the note, the tags or the pin of an exchange.
struct MarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark", abstract: "Add a note or tags to an exchange, or pin it.",
        discussion: "Pinned exchanges are never deleted to make room.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: ExchangeArgument.help)
    var id: ExchangeArgument
    @Option(help: "The note. An empty note removes it.")
    var note: String?
    @Option(name: .customLong("tag"), help: "Add a tag; may be repeated.")
    var tags: [String] = []
    @Option(name: .customLong("untag"), help: "Remove a tag; may be repeated.")
    var removedTags: [String] = []
    @Flag(help: "Pin the exchange.")
    var pin = false
    @Flag(help: "Unpin it, so that it can be deleted to make room.")
    var unpin = false

    func validate() throws {
        if pin, unpin { throw ValidationError("--pin and --unpin cannot be combined") }
        if note == nil, tags.isEmpty, removedTags.isEmpty, !pin, !unpin {
            throw ValidationError("nothing to do: give --note, --tag, --untag, --pin or --unpin")
        }
        if tags.contains("") { throw ValidationError("a tag must not be empty") }
    }

    func run() throws {
        let place = try global.place()
        let exchange = try exchangeID(place)
        if let central = place.central {
            let annotation = Annotation(
                id: exchange, note: note, addedTags: tags,
                removedTags: removedTags, isPinned: pin ? true : unpin ? false : nil)
            return try CentralAnnotator(central).annotate([annotation])
        }
        let change = AnnotationMessage(
            exchangeID: exchange.rawValue, note: note, addedTags: tags,
            removedTags: removedTags, isPinned: pin ? true : unpin ? false : nil)
        try StoreChanger.open(place.directory).annotate(change)
    }

    /// A number alone needs no store that can be read: the daemon may be the only one that can.
    private func exchangeID(_ place: StorePlace) throws -> ExchangeID {
        guard id.name.storeName != nil || place.central != nil else {
            return ExchangeID(rawValue: id.name.number)
        }
        return try id.id(in: place.reader())
    }
}
