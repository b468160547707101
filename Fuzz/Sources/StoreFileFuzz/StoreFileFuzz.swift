internal import Capture
internal import FuzzSupport

/// Stores that somebody else has written into: everything the reader has to say of them is said,
/// or refused as a store's fault, and nothing traps.
///
/// The first octet chooses between octets of the file and values in its tables; the rest says
/// which and what.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let isFile = input.choice() & 1 == 1
    let directory = isFile ? DamagedStore.withOctets(&input) : DamagedStore.withValues(&input)
    do throws(StoreError) {
        try WholeReading(StoreReader(directory: directory)).run()
    } catch {
        // That is how a damaged store is told of.
    }
    return 0
}
