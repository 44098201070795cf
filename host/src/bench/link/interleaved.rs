//! A case that is measured in turns with its baseline, so that other load of the machine affects both.

use std::time::Instant;

use retap_shared::codec;
use retap_shared::connection::Connection;
use retap_shared::protocol::{Reply, Request};
use retap_shared::session::RequestResult;

use super::baseline::PingPong;
use super::{BenchTransport, LinkBenchError, LinkMeasurement};
use crate::bench::processor_time::process_micros;
use crate::bench::statistics::percentile;
use crate::link::Link;

/// Samples of a case and of its baseline, block by block in turns.
pub(super) struct InterleavedCase {
    measured: LinkMeasurement,
    ping_pong: PingPong,
    samples: usize,
    /// Percentile that the ratio is computed from.
    pub(super) percentile: usize,
    block: Vec<f64>,
    pub(super) baseline_block: Vec<f64>,
    all: Vec<f64>,
    baseline_all: Vec<f64>,
    ratios: Vec<f64>,
    cpu: f64,
    pub(super) cpu_at_start: f64,
}

impl InterleavedCase {
    pub(super) async fn new(
        transport: BenchTransport,
        case: &'static str,
        samples: usize,
    ) -> Result<InterleavedCase, LinkBenchError> {
        let measured = LinkMeasurement {
            bench: "link",
            transport,
            case,
            p50_us: 0.0,
            p90_us: 0.0,
            cpu_us: 0.0,
            bytes: 0,
            baseline_p50_us: 0.0,
            baseline_p90_us: 0.0,
            ratio: 0.0,
        };
        Ok(InterleavedCase {
            measured,
            ping_pong: PingPong::start().await?,
            samples,
            percentile: 50,
            block: Vec::new(),
            baseline_block: Vec::new(),
            all: Vec::new(),
            baseline_all: Vec::new(),
            ratios: Vec::new(),
            cpu: 0.0,
            cpu_at_start: process_micros(),
        })
    }

    /// Sends a request, and adds its time to the block.
    pub(super) async fn timed<T: TryFrom<Reply, Error = Reply>>(
        &mut self,
        link: &Link,
        request: impl Into<Request>,
    ) -> Result<T, LinkBenchError> {
        let started = Instant::now();
        let reply = link.request(request.into()).await?;
        self.block.push(started.elapsed().as_secs_f64() * 1e6);
        if self.measured.bytes == 0 {
            let answer = RequestResult::Reply(reply.clone());
            self.measured.bytes = codec::encode(&answer).map_or(0, |bytes| bytes.len());
        }
        Ok(T::try_from(reply)
            .unwrap_or_else(|reply| unreachable!("answered with {}", reply.name())))
    }

    /// Measures a block of the baseline, and ends the block.
    pub(super) async fn against_ping_pong(&mut self) -> Result<(), LinkBenchError> {
        self.count_cpu();
        for _ in 0..self.samples {
            let started = Instant::now();
            self.ping_pong.once().await?;
            self.baseline_block
                .push(started.elapsed().as_secs_f64() * 1e6);
        }
        self.end_block();
        Ok(())
    }

    pub(super) fn end_block(&mut self) {
        let case = percentile(&mut self.block, self.percentile);
        let baseline = percentile(&mut self.baseline_block, self.percentile);
        self.ratios.push(case / baseline);
        self.all.append(&mut self.block);
        self.baseline_all.append(&mut self.baseline_block);
        self.cpu_at_start = process_micros();
    }

    /// Adds the processor time of this block; reading it for each sample would be too slow.
    pub(super) fn count_cpu(&mut self) {
        self.cpu += process_micros() - self.cpu_at_start;
    }

    pub(super) fn finish(mut self) -> LinkMeasurement {
        let count = self.all.len() as f64;
        LinkMeasurement {
            p50_us: percentile(&mut self.all, 50),
            p90_us: percentile(&mut self.all, 90),
            cpu_us: self.cpu / count,
            baseline_p50_us: percentile(&mut self.baseline_all, 50),
            baseline_p90_us: percentile(&mut self.baseline_all, 90),
            ratio: percentile(&mut self.ratios, 50),
            ..self.measured
        }
    }
}
