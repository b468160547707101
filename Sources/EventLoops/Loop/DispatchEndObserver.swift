/// An object that is notified when the loop has run all callbacks of one dispatch, before it waits
/// again. Streams use this to send everything that was written in small pieces with one call.
public protocol DispatchEndObserver: AnyObject {
    /// Called at the end of the dispatch. The observer may write, close and ask to be notified
    /// again.
    func dispatchDidEnd()
}
