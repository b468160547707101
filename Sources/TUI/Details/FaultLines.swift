internal import ProxydHTTPModel

/// What was wrong with a response, in the lines of its tab.
struct FaultLines {
    let fault: ResponseFault?

    /// What was mended, then what was refused: why, and the bytes.
    func lines() -> [ViewerLine] {
        guard let fault else { return [] }
        var lines: [ViewerLine] = []
        if !fault.repairs.isEmpty { lines.append(ViewerLine()) }
        lines += fault.repairs.map { ViewerLine("repaired: \($0)", .notice) }
        guard let refusal = fault.refusal else { return lines }
        lines += [ViewerLine(), ViewerLine("refused: \(refusal.reason)", .bad)]
        lines.append(ViewerLine("what came from the server:", .heading))
        return lines + DetailContents.octetLines(refusal.octets).map { $0.indented(by: 2) }
    }
}
