internal import ProxydPresentation
internal import ProxydCaptureModel
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Bodies and lines for the clipboard, for files and for the user's editor.
extension DetailScreen {
    /// The maximum number of bytes that are copied or edited; any number can be saved.
    private static let takenByteCountMax = 64 << 20

    func copyLine() -> [Effect] {
        let line = page.pager.cursor
        guard let text = page.lines(line..<line + 1).first?.text else { return [] }
        return [.copy(CopiedText(name: "line", text))]
    }

    /// Copies the body that is shown, or opens it in the editor.
    func take(_ action: ActionID) -> [Effect] {
        guard let subject, let shown = page.shown else {
            return [.notify(.information(noBody))]
        }
        let (body, id) = (shown.message.map { subject.body($0) }, row.id)
        let isCopy = action == .copyShownBody
        return [
            .work(
                Work("take", on: .details) { context in
                    if let loaded = shown.loaded {
                        body?.load(loaded, upTo: DetailScreen.takenByteCountMax + 1, id, context)
                    }
                    let extent = shown.source.extent
                    guard extent.byteCount <= DetailScreen.takenByteCountMax else {
                        let limit = Quantity.bytes(Int64(DetailScreen.takenByteCountMax))
                        throw WorkFailure("the body is larger than \(limit); b saves it to a file")
                    }
                    let bytes = shown.source.read(from: 0, byteCount: extent.byteCount)
                    if isCopy { return .row(.copied(CopiedText(name: "body", bytes: bytes))) }
                    return .edit(
                        EditRequest(
                            fileExtension: DetailScreen.fileExtension(shown.facts),
                            bytes: bytes))
                })
        ]
    }

    func saveShownBody() -> [Effect] {
        guard let shown = page.shown else {
            return [.notify(.information(noBody))]
        }
        let ending = DetailScreen.fileExtension(shown.facts)
        if page.isPart {
            return [asking(FormDialog.savingPart(shown.source, fileExtension: ending))]
        }
        if let message = shown.message {
            return [asking(FormDialog.savingBody(row, message, fileExtension: ending))]
        }
        guard let message = shownMessage?.content?.row else { return [] }
        return [
            asking(
                FormDialog.savingMessage(message, of: row, shown.source, fileExtension: ending))
        ]
    }

    private func asking(_ dialog: FormDialog) -> Effect {
        .ask(dialog) { .row(.focused($0)) }
    }

    private var noBody: String {
        tab == .messages ? "the message has no bytes here" : "there is no body here"
    }

    /// The file name extension for the type of a body.
    static func fileExtension(_ facts: BodyFacts) -> String {
        switch facts.kind {
        case .json, .jsonLines: "json"
        case .xml, .propertyListXML: "xml"
        case .html: "html"
        case .css: "css"
        case .javaScript: "js"
        case .plainText, .form, .eventStream, .multipart, .multipartForm, .empty: "txt"
        case .image(let subtype):
            subtype.allSatisfy { $0.isASCII && $0.isLetter } ? subtype : "img"
        case .pdf: "pdf"
        case .webAssembly: "wasm"
        default: "bin"
        }
    }
}
