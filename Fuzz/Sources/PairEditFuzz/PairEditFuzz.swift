internal import FuzzSupport
internal import ProxydParameterCoding

/// Edits of pairs: the pairs stay what the bytes decode to, and no other pair changes. The input
/// begins with the settings and up to three edits, each an operation, a position, a line with the
/// name and a line with the value.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let decoder = QueryDecoder(
        plusIsSpace: settings & 0x01 == 0, semicolonSeparates: settings & 0x02 != 0)
    let escaping = [EscapeSet.rfc3986, .strict, .whatwgForm, .whatwgQuery][Int(settings >> 2 & 3)]
    let edits = (0...Int(settings >> 4 & 3)).map { _ in PairEdit(&input, escaping) }
    var pairs = decoder.decode(Array(input.rest))
    for edit in edits { check(edit, on: &pairs, decoder) }
    checkRemovalOfAll(pairs)
    return 0
}

/// All pairs of a name go as they would one by one.
private func checkRemovalOfAll(_ pairs: EncodedPairs) {
    guard let name = pairs.pairs.first?.name else { return }
    var atOnce = pairs
    atOnce.removeAll(named: name)
    var oneByOne = pairs
    func next() -> Int? {
        oneByOne.pairs.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }
    while let position = next() { oneByOne.remove(at: position) }
    require(atOnce == oneByOne, "pairs go at once otherwise than one by one")
}

private func check(_ edit: PairEdit, on pairs: inout EncodedPairs, _ decoder: QueryDecoder) {
    let before = pairs
    let position = edit.position
    let isChanged = edit.apply(to: &pairs)
    require(pairs == decoder.decode(pairs.bytes), "the pairs are not those of the bytes")
    require(isChanged == edit.hasPlace(in: before), "an edit without a place, or none with one")
    guard isChanged else { return require(pairs == before, "a failed edit changes something") }
    var others = before.pairs.map { Array(before.raw($0)) }
    var othersNow = pairs.pairs.map { Array(pairs.raw($0)) }
    if edit.operation != .insert { others.remove(at: position) }
    // An empty pair cannot stand alone.
    if pairs.pairs.isEmpty { return require(others.allSatisfy(\.isEmpty), "others are lost") }
    if edit.operation != .remove {
        edit.check(pairs.pairs[position])
        othersNow.remove(at: position)
    }
    require(others == othersNow, "another pair has changed")
}
