internal import Capture
internal import Foundation
internal import FuzzSupport
internal import ProxydCaptureModel
internal import ProxydFilter
internal import StoreSupport

/// Filters: a mistake is said to be inside the text, and what is understood finds the same in the
/// store as without it.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = FuzzInput(start, count).text()
    let filter: Filter
    do throws(FilterError) {
        filter = try Filter.parse(text, now: SampleExchanges.wallStart, timeZone: .utc)
    } catch {
        let end = text.unicodeScalars.count + 1
        require((1...end).contains(error.column), "a mistake outside of the text: \(error)")
        return 0
    }
    let expected = SampleStore.subjects.filter { filter.matches($0) }.map(\.row.id)
    let found = SampleStore.ids(matching: filter)
    require(found == expected, "\(text) finds \(found) and not \(expected)")
    return 0
}
