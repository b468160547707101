internal import FuzzSupport
internal import ProxydParameterCoding

/// What is encoded is decoded to the same, as form, tree, JSON and multipart. The input is the
/// settings, and then names and values as `SampleTree` reads them.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let isPlus = settings & 0x04 != 0
    var encoding = URLEncoding()
    encoding.escapes = [.rfc3986, .strict, .whatwgForm, .strict][Int(settings & 3)]
    encoding.spaces = isPlus ? .plus : .percentEscaped
    encoding.keyOrder = .asGiven
    encoding.nulls = .keyOnly
    encoding.arrays = .indexInBrackets
    let cuts = input.choice()
    var sample = SampleTree(&input)
    let tree = sample.object()
    checkForm(tree, encoding)
    checkJSON(tree)
    checkMultipart(tree, encoding, cuts: cuts)
    return 0
}

private func checkForm(_ tree: Parameter, _ encoding: URLEncoding) {
    guard let bytes = try? encoding.bytes(tree) else {
        return require(false, "a plain tree cannot be encoded")
    }
    let pairs = QueryDecoder(plusIsSpace: encoding.spaces == .plus).decode(bytes)
    let again = try? ParameterTree.view(of: pairs, dotsNest: false)
    require(again?.parameter == tree, "a form is decoded to something else")
}

private func checkJSON(_ tree: Parameter) {
    guard let bytes = try? JSONWriter().write(tree), let value = try? JSONReader().read(bytes)
    else { return require(false, "a plain tree has no JSON") }
    require(SampleTree.parameter(value) == tree, "JSON is decoded to something else")
}

private func checkMultipart(_ tree: Parameter, _ encoding: URLEncoding, cuts: UInt8) {
    var form = MultipartFormData()
    guard (try? form.append(parameters: tree, encoding: encoding)) != nil,
        let body = try? form.encoded(),
        var decoder = try? MultipartDecoder(boundary: Array(form.boundary.text.utf8))
    else { return require(false, "a plain tree has no parts") }
    require(form.byteCount == Int64(body.count), "the length was said to be another one")
    var events: [MultipartEvent] = []
    for piece in Cuts.pieces(of: body, choice: cuts | 1) {
        guard (try? decoder.receive(piece.span, into: &events)) != nil else {
            return require(false, "what was encoded is no multipart")
        }
    }
    decoder.finish(into: &events)
    var parts: [MultipartPart] = []
    for event in events {
        switch event {
        case .part(let head): parts.append(MultipartPart(name: head.name, content: .bytes([])))
        case .data(let bytes):
            guard let last = parts.indices.last, case .bytes(let before) = parts[last].content
            else { return require(false, "data outside of a part") }
            parts[last].content = .bytes(before + bytes)
        case .partEnd: continue
        case .end(let isComplete): require(isComplete, "the end is missing")
        }
    }
    require(parts == form.parts, "parts are decoded to something else")
}
