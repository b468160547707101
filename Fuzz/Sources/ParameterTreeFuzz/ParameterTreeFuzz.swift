internal import FuzzSupport
internal import ProxydParameterCoding

/// The tree that pairs may stand for: no value is lost or made up, and each guess belongs to a
/// pair.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let isLimited = settings & 0x02 != 0
    let limits =
        isLimited ? ParameterTreeLimits(depthMax: 2, valueCountMax: 12) : ParameterTreeLimits()
    let pairs = QueryDecoder(semicolonSeparates: settings & 0x04 != 0).decode(Array(input.rest))
    do throws(ParameterTreeError) {
        let tree = try ParameterTree.view(
            of: pairs, limits: limits, dotsNest: settings & 0x01 == 0)
        check(tree, pairs)
    } catch {
        require(isLimited, "a limit that was not reached")
    }
    return 0
}

private func check(_ tree: ParameterTree, _ pairs: EncodedPairs) {
    guard case .object = tree.parameter else { return require(false, "the root is no object") }
    var leaves: [String?] = []
    collect(tree.parameter, &leaves)
    let values = pairs.pairs.filter { !$0.ranges.isEmpty }.map(\.value)
    require(sorted(leaves) == sorted(values), "values are lost or made up")
    var last = 0
    for guess in tree.guesses {
        require(pairs.pairs.indices.contains(guess.pair), "a guess about no pair")
        require(guess.pair >= last, "guesses out of order")
        last = guess.pair
    }
}

private func collect(_ value: Parameter, _ leaves: inout [String?]) {
    switch value {
    case .null: leaves.append(nil)
    case .string(let text): leaves.append(text)
    case .array(let elements):
        require(!elements.isEmpty, "an array from nowhere")
        for element in elements { collect(element, &leaves) }
    case .object(let members): for member in members { collect(member.value, &leaves) }
    default: require(false, "a value that no pair has")
    }
}

/// In the order of their bytes, with a mark that tells nil from empty.
private func sorted(_ values: [String?]) -> [[UInt8]] {
    values.map { value in value.map { [1] + Array($0.utf8) } ?? [0] }
        .sorted { $0.lexicographicallyPrecedes($1) }
}
