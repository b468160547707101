internal import Capture
internal import FuzzSupport
internal import ProxydCaptureModel

/// Stores that somebody else has written into: everything the reader has to say of them is said,
/// or refused as a store's fault, a recorder goes on with them or puts them aside, and nothing
/// traps.
///
/// The first byte chooses between bytes of the file and values in its tables, and whether there
/// is a recorder, which costs nearly as much as the reading; the rest says which and what.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let choice = input.choice()
    let isFile = choice & 1 == 1
    let directory = isFile ? DamagedStore.withBytes(&input) : DamagedStore.withValues(&input)
    do throws(StoreError) {
        try WholeReading(StoreReader(directory: directory)).run()
    } catch {
        // That is how a damaged store is told of.
    }
    if choice & 2 == 2 {
        WholeRecording.run(directory)
        DamagedStore.removeFiles()
    }
    return 0
}
