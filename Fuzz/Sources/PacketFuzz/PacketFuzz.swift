internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydInterchange

/// The input stands for the output of tshark: the list of packets, a byte 0xFF, and the bytes of the
/// connections. The result must be the same wherever the output is cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let cuts = input.choice()
    let parts = Array(input.rest).split(
        separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
    let index = Array(parts[0]), followed = parts.count > 1 ? Array(parts[1]) : []
    let whole = Packets.read([index], [followed])
    let cut = Packets.read(
        Cuts.pieces(of: index, choice: cuts), Cuts.pieces(of: followed, choice: cuts))
    require(whole == cut, "cutting changes what is read")
    return 0
}

private enum Packets {
    static func read(_ index: [[UInt8]], _ followed: [[UInt8]]) -> [String] {
        var said: [String] = []
        var capture = PacketCapture()
        func take(_ entry: InterchangeReader.Entry) {
            switch entry {
            case .success(.exchange(let imported)):
                require(imported.exchange.state != .active, "an exchange never ends")
                said.append("\(imported.exchange.hashValue)")
            case .success(.messages(let messages)):
                // Pieces may complete messages one by one.
                said += messages.map { "\($0.hashValue)" }
            case .success(.leftOut(let kind)): said.append(kind)
            case .failure(let problem): said.append("\(problem)")
            }
        }
        do {
            for piece in index { capture.receive(index: piece) }
            try capture.finishIndex(problem: nil, take)
            while capture.nextArguments() != nil {
                for piece in followed { try capture.receive(followed: piece, take) }
            }
        } catch {
            fatalError("reading throws: \(error)")
        }
        return said
    }
}
