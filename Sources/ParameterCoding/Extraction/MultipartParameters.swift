/// Converts the parts of a streamed multipart form into parameters.
struct MultipartParameters {
    private(set) var collector: ParameterCollector
    private let text: ByteText
    private var head: MultipartPartHead?
    private var content: [UInt8] = []

    init(_ collector: ParameterCollector, text: ByteText) {
        self.collector = collector
        self.text = text
    }

    mutating func add(_ events: [MultipartEvent]) {
        for event in events {
            switch event {
            case .part(let head):
                self.head = head
                content = []
            case .data(let bytes):
                // A file's content is not a parameter; a field's content is kept slightly beyond
                // its limit, because it may still have a transfer encoding.
                guard head?.filename == nil else { continue }
                if content.count <= 2 * collector.valueByteCountMax {
                    content += bytes
                } else {
                    collector.markCut()
                }
            case .partEnd:
                addPart()
            case .end:
                break
            }
        }
    }

    private mutating func addPart() {
        guard let head else { return }
        self.head = nil
        guard let name = head.name else { return }
        collector.add(.multipart, name, head.filename ?? fieldText(head))
    }

    private func fieldText(_ head: MultipartPartHead) -> String {
        let text = ByteText(of: head, in: text)
        return text.text(head.transferEncoding.decoded(content).span)
    }
}
