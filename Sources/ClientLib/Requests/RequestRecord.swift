/// The times and attempts of a request when its handlers run.
struct RequestRecord: Sendable {
    /// When each step of the request happened.
    var timeline: RequestTimeline
    /// Every attempt, including redirects, answered challenges and retries.
    let attempts: [AttemptRecord]
}
