//! Questions and records in the terms of the resolver's library.

use hickory_resolver::net::{DnsError as Response, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};

use crate::dns::{Answer, DnsError, DnsRecord, DnsType, Question, RecordData};

/// Records of an answer that are read. One message holds some thousands of the smallest.
const MAX_RECORDS: usize = 256;

/// The question.
pub(super) fn query(question: Question<'_>) -> Result<(Name, RecordType), DnsError> {
    let (name, kind) = match question {
        Question::Records(name, kind) => (name, kind),
        Question::NamesOf(address) => return Ok((Name::from(address), RecordType::PTR)),
    };
    let kind = match kind {
        DnsType::A => RecordType::A,
        DnsType::Aaaa => RecordType::AAAA,
        DnsType::Caa => RecordType::CAA,
        DnsType::Cname => RecordType::CNAME,
        DnsType::Mx => RecordType::MX,
        DnsType::Ns => RecordType::NS,
        DnsType::Soa => RecordType::SOA,
        DnsType::Srv => RecordType::SRV,
        DnsType::Txt => RecordType::TXT,
    };
    Ok((super::absolute(name)?, kind))
}

/// The records of an answer that belong to the question.
pub(super) fn answer(records: &[Record], kind: RecordType) -> Answer {
    let belongs = |record: &&Record| [kind, RecordType::CNAME].contains(&record.record_type());
    let mut found: Vec<DnsRecord> = records.iter().filter(belongs).filter_map(record).collect();
    let dropped = found.len().saturating_sub(MAX_RECORDS);
    found.truncate(MAX_RECORDS);
    Answer { records: found, withheld: 0, dropped }
}

/// An answer without records, or none.
pub(super) fn failed(error: &NetError) -> Result<Answer, DnsError> {
    match error {
        NetError::Timeout => Err(DnsError::TimedOut),
        NetError::Dns(Response::NoRecordsFound(found)) => match found.response_code {
            ResponseCode::NoError => Ok(Answer::default()),
            ResponseCode::NXDomain => Err(DnsError::NoSuchName),
            _ => Err(DnsError::Failed),
        },
        _ => Err(DnsError::Failed),
    }
}

fn record(record: &Record) -> Option<DnsRecord> {
    let data = match &record.data {
        RData::A(address) => RecordData::Address(address.0.into()),
        RData::AAAA(address) => RecordData::Address(address.0.into()),
        RData::CAA(caa) => RecordData::Caa {
            critical: caa.issuer_critical,
            tag: caa.tag.clone(),
            value: String::from_utf8_lossy(&caa.value).into_owned(),
        },
        RData::CNAME(name) => RecordData::Alias(text(name)),
        RData::MX(exchange) => {
            RecordData::Exchange { preference: exchange.preference, host: text(&exchange.exchange) }
        }
        RData::NS(name) => RecordData::Server(text(name)),
        RData::PTR(name) => RecordData::Pointer(text(name)),
        RData::SOA(soa) => RecordData::Authority {
            server: text(&soa.mname),
            responsible: text(&soa.rname),
            serial: soa.serial,
        },
        RData::SRV(service) => RecordData::Service {
            priority: service.priority,
            weight: service.weight,
            port: service.port,
            host: text(&service.target),
        },
        RData::TXT(texts) => RecordData::Text(texts.txt_data.concat()),
        _ => return None,
    };
    Some(DnsRecord { name: text(&record.name), ttl: record.ttl, data })
}

/// A name without its last dot; that of the root is empty.
fn text(name: &Name) -> String {
    let mut text = name.to_ascii();
    if text.ends_with('.') {
        text.pop();
    }
    text
}
