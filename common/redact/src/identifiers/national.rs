//! The tables of identifiers, by region and by field.

use super::format::Format;

mod americas;
mod asia;
mod documents;
mod eastern;
pub(crate) mod finance;
mod health;
mod northern;
mod south;
mod western;

/// Every table.
pub(crate) const TABLES: [&[Format]; 9] = [
    americas::FORMATS,
    western::FORMATS,
    northern::FORMATS,
    eastern::FORMATS,
    asia::FORMATS,
    south::FORMATS,
    health::FORMATS,
    finance::FORMATS,
    documents::FORMATS,
];

/// The checks that published examples exist for, by the names of those.
#[cfg(test)]
pub(crate) fn checks_by_name(name: &str) -> Option<fn(&super::code::Code) -> bool> {
    use super::sums;
    Some(match name {
        "aba_rtn_checksum" => finance::us_aba,
        "australian_medicare_checksum" => health::au_medicare,
        "australian_tfn_checksum" => south::au_tfn,
        "austrian_ssn_checksum" => western::at_ssn,
        "belgium_national_register_checksum" => western::be_national,
        "brazilian_cnpj_checksum" => americas::br_cnpj,
        "brazilian_cpf_checksum" => americas::br_cpf,
        "bulgarian_egn_checksum" => eastern::bg_egn,
        "chinese_id_checksum" => asia::cn_resident,
        "coordination_number_checksum" => northern::se_coordination,
        "czech_tin_checksum" => eastern::cz_tax,
        "dutch_bsn_checksum" => western::nl_bsn,
        "dutch_passport_checksum" => documents::nl_passport,
        "estonia_personal_code_checksum" => northern::baltic,
        "finnish_hetu_checksum" => northern::fi_personal,
        "france_nif_checksum" => western::fr_nif,
        "france_ssn_checksum" => western::fr_nir,
        "german_ids_checksum" => documents::de_serial,
        "german_svnr_checksum" => western::de_pension,
        "iban_checker" => finance::iban,
        "irish_pps_checksum" => western::ie_pps,
        "iso_7064_checksum" => {
            |code| if code.len() == 18 { sums::mod_11_2(code) } else { sums::mod_11_10(code) }
        }
        "lithuanian_personal_identification_number_checksum" => northern::baltic,
        "nhs_check_digit" => health::gb_nhs,
        "polish_national_id_checksum" => eastern::pl_pesel,
        "portuguese_tax_id_checksum" => western::pt_nif,
        "rodne_cislo_checksum" => eastern::cz_birth,
        "romanian_personal_numeric_code" => eastern::ro_cnp,
        "singapore_nric_checksum" => asia::sg_nric,
        "slovenian_pin_checksum" => eastern::jmbg,
        "spain_dni_checksum" => western::es_dni,
        "spanish_nuss_checksum" => western::es_nuss,
        "sweden_pin_checksum" => northern::se_personal,
        "uk_nino_format_check" => western::gb_nino,
        "uk_trn_checksum" => western::gb_utr,
        "verhoeff_checksum" => sums::verhoeff,
        _ => return None,
    })
}
