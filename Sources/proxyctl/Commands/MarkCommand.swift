internal import ArgumentParser
internal import ProxydControl

/// `proxyctl mark`: changes the note, the tags or the pin of an exchange.
struct MarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark", abstract: "Give an exchange a note, tags or a pin.",
        discussion: "A pinned exchange is never deleted to make room.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: ArgumentHelp("The exchange's number.", valueName: "id"))
    var id: Int64
    @Option(help: "The note. An empty one removes it.")
    var note: String?
    @Option(name: .customLong("tag"), help: "Adds a tag; may be given several times.")
    var tags: [String] = []
    @Option(name: .customLong("untag"), help: "Removes a tag; may be given several times.")
    var removedTags: [String] = []
    @Flag(help: "Pins the exchange.")
    var pin = false
    @Flag(help: "Lets it be deleted again.")
    var unpin = false

    func validate() throws {
        if pin, unpin { throw ValidationError("--pin and --unpin exclude each other") }
        if note == nil, tags.isEmpty, removedTags.isEmpty, !pin, !unpin {
            throw ValidationError("nothing to do: give --note, --tag, --untag, --pin or --unpin")
        }
        if tags.contains("") { throw ValidationError("a tag must not be empty") }
    }

    func run() throws {
        let change = AnnotationMessage(
            exchangeID: id, note: note, addedTags: tags, removedTags: removedTags,
            isPinned: pin ? true : unpin ? false : nil)
        try StoreChanger.open(global.dataDirectory()).annotate(change)
    }
}
